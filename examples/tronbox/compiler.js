// TronBox downloads its compiler once, from GitHub. This puts the one of npm in its place, for machines that reach only a registry.
const { copyFileSync, existsSync, mkdirSync } = require('node:fs')
const { homedir } = require('node:os')
const { join } = require('node:path')

const folder = join(homedir(), '.tronbox', 'solc')
const file = join(folder, `soljson_v${require('solc/package.json').version}.js`)
mkdirSync(folder, { recursive: true })
if (!existsSync(file)) copyFileSync(require.resolve('solc/soljson.js'), file)
