// The console's own tree and differences in an otherwise empty page.
import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { JsonRows } from '@/components/shared/json/json-tree'
import { LargeDifferences } from '@/lib/json/difference-source'
import { keepReady, LargeJson } from '@/lib/json/large-json'
import { parseJson } from '@/lib/json/lossless'
import { jsonWorker } from '@/lib/json/remote-document'
import type { RowSource } from '@/lib/json/row-source'
import { ValueSource } from '@/lib/json/value-source'
import { MOST_DIRECT } from '@/lib/queries/relay-large'

jsonWorker.start = () => new Worker('/ours-worker.js')
keepReady() // as the thread page does when it opens

function documentOf(bytes: Uint8Array<ArrayBuffer>): LargeJson {
  const large = new LargeJson()
  large.add(bytes)
  large.end()
  return large
}

let root: Root | undefined

function draw(source: RowSource | undefined) {
  // Store updates are drawn at once, as are query results on the thread page.
  flushSync(() => root?.render(<JsonRows source={source} label="State" className="h-full" />))
}

const page = {
  /** Like the State tab while the bytes are loading. */
  prepare() {
    root?.unmount()
    const place = document.getElementById('root') as HTMLElement // the page's own
    const box = document.createElement('div')
    box.className = 'h-full'
    place.replaceChildren(box)
    root = createRoot(box)
    draw(undefined)
  },
  show(bytes: Uint8Array<ArrayBuffer>) {
    const isSmall = bytes.byteLength <= MOST_DIRECT
    draw(isSmall ? new ValueSource(parseJson(new TextDecoder().decode(bytes))) : documentOf(bytes).source)
  },
  async compare(old: Uint8Array<ArrayBuffer>, now: Uint8Array<ArrayBuffer>): Promise<number> {
    const sides = [documentOf(old), documentOf(now)] as const
    await Promise.all(sides.map(({ whole }) => whole))
    const found = new LargeDifferences(...sides)
    return new Promise((resolve) => {
      found.subscribe(() => resolve(found.getState().count ?? 0))
    })
  },
}
Object.assign(window, { page })
