import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { compilerOf, FIELD_TYPES_FILE, readFieldTypes } from './field-types'
import { readConfig } from './graphs'

/** Writes what the types of a configuration's graphs say beside it. */
export async function writeFieldTypes(configFile: string): Promise<void> {
  const ts = compilerOf(configFile)
  if (!ts) {
    console.error('Error: a typescript of version 5 or 6 is needed.')
    process.exitCode = 1
    return
  }
  const types = readFieldTypes(ts, configFile, await readConfig(configFile))
  await writeFile(path.join(path.dirname(configFile), FIELD_TYPES_FILE), JSON.stringify(types))
}
