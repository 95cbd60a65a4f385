// Loaded before a program that reads its settings from the environment: adds the secret ones from the inherited pipe.
// They stay in memory; `/proc/<pid>/environ` only has the initial environment.
import { closeSync, readFileSync } from 'node:fs'

const pipe = Number(process.env.PILOTHOUSE_SECRETS_FD ?? Number.NaN)
delete process.env.PILOTHOUSE_SECRETS_FD
if (Number.isInteger(pipe)) {
  Object.assign(process.env, JSON.parse(readFileSync(pipe, 'utf8')))
  closeSync(pipe)
}
