// `npm start`: from a fresh clone to a serving console. `--dev` serves the sources, `--platform-only` only the embedded
// platform. Needs nothing installed.
import { launch } from './launch/launch.mjs'

await launch({
  isDev: process.argv.includes('--dev'),
  isPlatformOnly: process.argv.includes('--platform-only'),
})
