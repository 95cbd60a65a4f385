#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ensureNode, root } from '../bootstrap.mjs'
import { COMMANDS, HELP, readCommandLine, userDataFolder } from './command-line.mjs'
import { launch } from './launch.mjs'

ensureNode()
const [command = ''] = process.argv.slice(2)
if (COMMANDS.includes(command)) {
  process.stdout.on('error', () => process.exit()) // `pilothouse logs --follow NAME | head` has its lines
  const { runCommand } = await import('./cli/main.mjs')
  process.exit(await runCommand(process.argv.slice(2)))
}
let read
try {
  read = readCommandLine(process.argv.slice(2))
} catch (error) {
  // Node adds advice that does not apply here.
  console.error(`pilothouse: ${error.message.split('. To specify')[0]}\nSee pilothouse --help.`)
  process.exit(2)
}
if (read.show === 'help') process.stdout.write(HELP)
else if (read.show === 'version') console.log(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version)
else {
  process.env.PILOTHOUSE_DATA = path.resolve(process.env.PILOTHOUSE_DATA || userDataFolder())
  // An attached address takes the place of a control plane that the shell knows.
  if (read.variables.AGENT_SERVER_URL) delete process.env.CONTROL_PLANE_URL
  Object.assign(process.env, read.variables)
  await launch({ isCommand: true, opensBrowser: read.opensBrowser })
}
