import type { Command } from 'commander'

import type { Io } from '../base/io.ts'
import { addWord } from '../words/command.ts'
import { addConfigOptions, type ConfigFlags } from '../words/configOptions.ts'

/** Declares `ethgate config`, the settings in force and where each comes from, and `ethgate validate`, which checks them. */
export function addConfigCommands(program: Command, io: Io): void {
  const config = addWord<ConfigFlags>(program, io, {
    usage: 'config',
    summary: 'show the settings of serve and where each value comes from',
    description:
      'Takes the flags, the environment and the configuration file of "ethgate serve". Secrets are hidden.',
    examples: [['ethgate config --config ethgate.yaml', 'with a file']],
    calls: 'nothing',
    run: async ({ options }) =>
      (await import('../words/settings.ts')).shownSettings(options, io.env),
  })
  const validate = addWord<ConfigFlags>(program, io, {
    usage: 'validate',
    summary: 'check the settings, the configuration file and the API keys file',
    description:
      'Takes the flags, the environment and the files of "ethgate serve". Exit code 1 with file, line and key of what is wrong.',
    examples: [['ethgate validate --config ethgate.yaml --api-keys keys.yaml', 'before a reload']],
    calls: 'nothing',
    run: async ({ options }) =>
      (await import('../words/settings.ts')).validatedSettings(options, io.env),
  })
  for (const command of [config, validate]) addConfigOptions(command)
}
