// Loaded by the launcher and the programs whose lines are written for people: with `PILOTHOUSE_LOG_FORMAT=json` these become
// lines of the console's log format too.
import './lost-output.mjs'

const format = process.env.PILOTHOUSE_LOG_FORMAT || 'text'
if (format === 'json') await import('./json-console.mjs')
else if (format !== 'text') {
  console.error(`[start] PILOTHOUSE_LOG_FORMAT is "${format}": give text or json.`)
  process.exit(1)
}
