import path from 'node:path'
import { ImageStore } from './image-store'
import { ImageError } from './tree'

const USAGE = `Usage: npm run image -- COMMAND
  pack FOLDER NAME[:TAG] [--config FILE]   pack a folder of graphs; FILE is its graph configuration (graph.json)
  list                                     images in the store, with their digests
  remove NAME[:TAG]                        remove a tag; its content is deleted when no revision uses it`

export type ImageCommandOptions = {
  args: readonly string[]
  dataDir: string
  /** The folder that FOLDER is relative to. */
  cwd: string
  say(line: string): void
}

const counted = (count: number, one: string) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
const sized = (bytes: number) =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

/** `npm run image`; returns the exit code. Works on the store's files, whether or not the platform runs. */
export async function runImageCommand({ args, dataDir, cwd, say }: ImageCommandOptions): Promise<number> {
  const store = new ImageStore(path.join(dataDir, 'images'))
  const { words, config } = readArguments(args)
  const [command, first, second] = words
  try {
    if (command === 'pack' && first && second && words.length === 3) {
      const packed = await store.pack(path.resolve(cwd, first), second, config)
      for (const note of packed.notes) say(note)
      say(`Packed ${counted(packed.files, 'file')} (${sized(packed.bytes)}) with graphs ${packed.graphs.join(', ')}.`)
      say(`${packed.image} is ${packed.digest}`)
      return 0
    }
    if (command === 'list' && words.length === 1) {
      const images = await store.list()
      if (!images.length) say('The image store is empty.')
      const width = Math.max(...images.map(({ image }) => image.length))
      for (const { image, digest, files, bytes, packed_at } of images)
        say(`${image.padEnd(width)}  ${digest}  ${counted(files, 'file')}, ${sized(bytes)}, ${packed_at}`)
      return 0
    }
    if (command === 'remove' && first && words.length === 2) {
      const collected = await store.remove(first)
      say(`Removed ${first}. ${collected ? 'Its content was deleted too.' : 'Its content is still used and stays.'}`)
      return 0
    }
    say(USAGE)
    return 2
  } catch (error) {
    if (!(error instanceof ImageError)) throw error
    say(error.message)
    return 1
  }
}

function readArguments(args: readonly string[]) {
  const at = args.indexOf('--config')
  if (at < 0) return { words: args, config: undefined }
  return { words: args.filter((_, index) => index !== at && index !== at + 1), config: args[at + 1] }
}
