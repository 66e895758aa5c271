# Completion of davsim and davsim-cc in bash. Options and commands are what the programs say of
# themselves; operators and SoCs are what `davsim list` prints.
_davsim_words() { "$@" 2>/dev/null | grep -oE -- '--?[a-zA-Z][a-zA-Z0-9-]*' | sort -u; }

_davsim() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} words=
  COMPREPLY=()
  if [[ $1 == *davsim-cc ]]; then
    [[ $word == -* ]] && words=$(_davsim_words davsim-cc --help)
  elif ((COMP_CWORD == 1)); then
    words="list describe run compare sweep explain check serve help version"
  elif [[ $word == -* ]]; then
    words=$(_davsim_words davsim help "$command")
  elif [[ $command == help ]]; then
    words="list describe run compare sweep explain check serve version"
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --soc || ($COMP_CWORD == 2 && $command != explain) ]]; then
    words=$(davsim list 2>/dev/null | awk '/^  [A-Za-z]/ {print $1}')
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _davsim davsim davsim-cc
