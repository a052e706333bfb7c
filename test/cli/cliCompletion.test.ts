import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { commandFile, ethgate } from '../support/cli.ts'
import { useFolder } from './cliSetup.ts'

const folder = useFolder()

/** Asks a real shell what it completes at the end of a line. */
const SHELLS: Record<string, (words: string[]) => string> = {
  bash: (words) =>
    `source <(ethgate completion bash); COMP_WORDS=(ethgate ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _ethgate; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words) =>
    `autoload -Uz compinit; compinit -u -D; source <(ethgate completion zsh); [[ $_comps[ethgate] == _ethgate ]] || exit 1
compadd() { shift; print -l -- "$@" }; words=(ethgate ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _ethgate`,
  fish: (words) => `ethgate completion fish | source; complete -C 'ethgate ${words.join(' ')}'`,
}

describe.each(Object.entries(SHELLS))('%s', (shell, script) => {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0
  const complete = (...words: string[]) => {
    writeFileSync(
      `${folder}/ethgate`,
      `#!/bin/sh\nexec "${process.execPath}" "${commandFile()}" "$@"\n`,
    )
    chmodSync(`${folder}/ethgate`, 0o755)
    const run = spawnSync(shell, ['-c', script(words)], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder },
    })
    expect(run.stderr).toBe('')
    return run.stdout
      .split('\n')
      .filter((line) => line !== '')
      .toSorted((a, b) => (a < b ? -1 : 1))
  }

  test.skipIf(!isThere)(
    `behavior: completes commands, subcommands and options${isThere ? '' : ` (skipped: no ${shell})`}`,
    () => {
      expect(complete('b')).toEqual(['balance', 'block', 'block-number'])
      expect(complete('keys', 'li')).toEqual(['list'])
      expect(complete('send', '--key')).toEqual(['--key-file', '--keystore-dir'])
    },
  )
})

test('error: another shell', async () => {
  expect(await ethgate(['completion', 'tcsh'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'ethgate: completion takes bash, zsh or fish, got "tcsh"\n',
  })
})
