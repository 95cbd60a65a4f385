// Loaded by the launcher and the programs whose lines are written for people: with `PILOTHOUSE_LOG_FORMAT=json` these become
// lines of the console's log format too.
import './lost-output.mjs'

if (process.env.PILOTHOUSE_LOG_FORMAT === 'json') await import('./json-console.mjs')
