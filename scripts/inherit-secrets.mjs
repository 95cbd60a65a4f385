// Loaded before a program that reads its settings from the environment: takes the secret ones from the inherited pipe. What
// is set here stays in memory; `/proc/<pid>/environ` shows only what the program was started with.
import { closeSync, readFileSync } from 'node:fs'

const pipe = Number(process.env.PILOTHOUSE_SECRETS_FD ?? Number.NaN)
delete process.env.PILOTHOUSE_SECRETS_FD
if (Number.isInteger(pipe)) {
  Object.assign(process.env, JSON.parse(readFileSync(pipe, 'utf8')))
  closeSync(pipe)
}
