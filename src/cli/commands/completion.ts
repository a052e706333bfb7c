import type { Command } from 'commander'

import { usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { addCommand } from '../words/command.ts'

/** What each shell reads. They ask for the words at the cursor, so the scripts stay right when commands change. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_ethgate() {
  local IFS=$'\\n'
  COMPREPLY=($(ethgate completion --words "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _ethgate ethgate`,
  zsh: `#compdef ethgate
_ethgate() {
  local -a found
  found=(\${(f)"$(ethgate completion --words "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -- $found; else _files; fi
}
(( $+functions[compdef] )) && compdef _ethgate ethgate`,
  fish: `complete -c ethgate -a '(ethgate completion --words (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

/** `ethgate completion SHELL`: prints the script that completes commands and options. */
export function addCompletionCommand(program: Command, io: Io): void {
  addCommand(program, 'completion <shell...>', {
    summary: 'print the completion script of bash, zsh or fish',
    examples: [
      ['source <(ethgate completion bash)', 'in ~/.bashrc'],
      ['source <(ethgate completion zsh)', 'in ~/.zshrc, after compinit'],
      ['ethgate completion fish | source', 'in ~/.config/fish/config.fish'],
    ],
  }).action(async ([shell = '']: string[]) => {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
    if (!script) throw usageError(`completion takes bash, zsh or fish, got "${shell}"`)
    io.stdout.write(`${script}\n`)
  })
}

/** The commands and options that can stand at the end of a line; the last word is the beginning of one. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? ''
  let command = program
  for (const word of words.slice(0, -1))
    command = command.commands.find((child) => child.name() === word) ?? command
  const names = last.startsWith('-')
    ? command
        .createHelp()
        .visibleOptions(command)
        .flatMap(({ long }) => long ?? [])
    : command.commands.map((child) => child.name())
  return names.filter((name) => name.startsWith(last)).toSorted()
}
