// Loaded before the console: adds the secret settings from the inherited pipe to its environment. The console loads its code
// meanwhile and awaits them (lib/server/start/start.ts). They stay in memory; `/proc/<pid>/environ` only has the initial
// environment.
import { Socket } from 'node:net'
import './launch/lost-output.mjs'

async function inherit(fd) {
  let text = ''
  for await (const part of new Socket({ fd }).setEncoding('utf8')) text += part
  if (text === '') process.exit(1) // the launcher died before it knew them
  Object.assign(process.env, JSON.parse(text))
}

const pipe = Number(process.env.PILOTHOUSE_SECRETS_FD ?? Number.NaN)
delete process.env.PILOTHOUSE_SECRETS_FD
if (Number.isInteger(pipe)) {
  const inherited = inherit(pipe)
  Object.assign(globalThis, { pilothouseSecrets: inherited })
  // The server for development starts another process, with the environment that it has then.
  if (process.env.NODE_ENV === 'development') await inherited
}
