#compdef gemm-tutor
# zsh completion for gemm-tutor: the program says what fits the words typed so far.

_gemm-tutor() {
  local program=${words[1]/#\~/$HOME} line candidate
  local -a described unfinished
  for line in "${(f)$(command $program complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    candidate=${line%%$'\t'*}
    case $candidate in
      folders:)
        compset -P '--*='
        _files -/
        ;;
      files:*)
        compset -P '--*='
        _files -g "*${candidate#files:}"
        ;;
      *=) unfinished+=("$candidate") ;;
      ?*) described+=("${candidate//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  compadd -S '' -a unfinished
  _describe 'gemm-tutor' described
}

if [[ $funcstack[1] == _gemm-tutor ]]; then
  _gemm-tutor "$@"
else
  compdef _gemm-tutor gemm-tutor
fi
