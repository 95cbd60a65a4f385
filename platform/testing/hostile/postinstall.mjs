import { writeFileSync } from 'node:fs'
import { leaveDaemon, tryAll, WAYS } from './ways.mjs'

writeFileSync('found.json', JSON.stringify(await tryAll(WAYS)))
leaveDaemon()
