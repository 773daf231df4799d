# bash completion for gemm-tutor: the program says what fits the words typed so far.

_gemm_tutor() {
  local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]} candidate
  if [[ $word == '=' ]]; then word=; fi # bash takes --option=value for three words
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    case $candidate in
      folders:)
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -d -- "$word"))
        ;;
      files:*)
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -d -- "$word") $(compgen -f -X "!*${candidate#files:}" -- "$word"))
        ;;
      *)
        if [[ $candidate == *= ]]; then compopt -o nospace 2>/dev/null; fi
        COMPREPLY+=("$candidate")
        ;;
    esac
  done < <(command "${COMP_WORDS[0]/#\~/$HOME}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _gemm_tutor gemm-tutor
