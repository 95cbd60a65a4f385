import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

/** Smaller files are compressed when they are asked for. */
const MIN_BYTES = 1_000

/**
 * Writes `NAME.br` beside the larger scripts and style sheets of a build, so that no visitor waits for their compression
 * (`lib/server/transport/compressed-files.ts`). `quality` is brotli's, up to 11.
 */
export async function compressStatic(folder, quality) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|css)$/.test(file))
  const compress = promisify(brotliCompress)
  await Promise.all(
    files.map(async (file) => {
      const content = readFileSync(path.join(folder, file))
      if (content.length < MIN_BYTES) return
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      }
      writeFileSync(path.join(folder, `${file}.br`), await compress(content, { params }))
    }),
  )
}
