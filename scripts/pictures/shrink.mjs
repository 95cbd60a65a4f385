import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'

const PALETTE = 'split[a][b];[a]palettegen=stats_mode=single[colours];[b][colours]paletteuse=dither=none'

/** Leaves 256 colours in a picture, which a screenshot hardly has more of: under half the size. Needs ffmpeg. */
export function shrink(file) {
  const small = `${file}.small.png`
  execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', file, '-vf', PALETTE, '-pred', 'mixed', small])
  renameSync(small, file)
}
