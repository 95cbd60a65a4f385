import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

const LEAST = 12

/** The passphrase from the environment, or typed without echo. Throws an Error if a new one is too short. */
export async function readPassphrase({ isNew = false } = {}) {
  const given = process.env.PILOTHOUSE_BACKUP_PASSPHRASE ?? (await ask('Passphrase: '))
  if (isNew && given.length < LEAST) throw new Error(`Use a passphrase of at least ${LEAST} characters.`)
  if (isNew && process.env.PILOTHOUSE_BACKUP_PASSPHRASE === undefined && (await ask('Once more: ')) !== given)
    throw new Error('The passphrases do not match.')
  return given
}

async function ask(question) {
  if (!process.stdin.isTTY) throw new Error('Set PILOTHOUSE_BACKUP_PASSPHRASE, or run this in a terminal.')
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  const answer = await new Promise((resolve) => terminal.question('', resolve))
  terminal.close()
  process.stderr.write('\n')
  return answer
}
