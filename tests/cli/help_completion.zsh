# What zsh makes of a command line and a press of the Tab key, in a terminal of its own:
#   zsh -f help_completion.zsh SCRIPT FOLDER 'gemm-tutor les'
# prints what there is to choose from and "LINE<the line as it then is>". Start-up files are written
# to the folder.
script=$1 folder=$2 typed=$3
zmodload zsh/zpty || exit 77

cat > $folder/.zshrc <<END
PS1= RPS1= LISTMAX=10000
stty columns 1000
unset zle_bracketed_paste
unsetopt always_last_prompt prompt_sp
autoload -Uz compinit && compinit -C -u -d ${(q)folder:h}/zcompdump
source ${(q)script}
show-line() { print -r -- "LINE<\$BUFFER>"; exit }
zle -N show-line
bindkey '^X' show-line
print READY
END

export ZDOTDIR=$folder TERM=dumb
zpty shell zsh -d -i
shown=
while [[ $shown != *READY* ]]; do
  zpty -r shell part || exit 1
  shown+=$part
done
zpty -w -n shell "$typed"$'\t\x18'
while zpty -r shell part; do print -rn -- "$part"; done
