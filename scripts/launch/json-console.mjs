// Loaded before the console in production: what the framework and its libraries print becomes lines of the console's own log
// format (lib/server/process/log.ts), so that one parser reads the whole log.
import { format, stripVTControlCharacters } from 'node:util'
import './lost-output.mjs'

const MAX_TEXT = 2000
const LEVELS = { debug: 'info', log: 'info', info: 'info', warn: 'warn', error: 'error', trace: 'info' }
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g

for (const [method, level] of Object.entries(LEVELS))
  console[method] = (...args) => {
    const message = stripVTControlCharacters(format(...args))
      .replace(CONTROL, ' ')
      .replace(/ {2,}/g, ' ')
      .trim()
    if (message === '') return
    const shown = message.length > MAX_TEXT ? `${message.slice(0, MAX_TEXT)}…` : message
    const stream = level === 'info' ? process.stdout : process.stderr
    stream.write(`${JSON.stringify({ at: new Date(), level, event: 'console', message: shown })}\n`)
  }

// Node.js prints warnings as errors. It has no listener where it was told not to print them.
if (process.listenerCount('warning') > 0) {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => console.warn(String(warning)))
}
