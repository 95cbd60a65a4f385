// The console's own tree and difference, in a page of nothing else.
import { createRoot } from 'react-dom/client'
import { JsonRows, JsonTree } from '@/components/shared/json-tree'
import { parseJson } from '@/lib/contracts/json'
import { LargeDifferences } from '@/lib/json/difference-source'
import { LargeJson } from '@/lib/json/large-json'
import { jsonWorker, keepWorker } from '@/lib/json/remote-document'
import { MOST_DIRECT } from '@/lib/queries/relay-large'

jsonWorker.start = () => new Worker('/ours-worker.js')
keepWorker() // as the thread page does when it opens

function documentOf(bytes: Uint8Array<ArrayBuffer>): LargeJson {
  const large = new LargeJson()
  large.add(bytes)
  large.end()
  return large
}

const page = {
  show(bytes: Uint8Array<ArrayBuffer>) {
    const place = document.getElementById('root') as HTMLElement // the page's own
    place.replaceChildren(document.createElement('div'))
    const root = createRoot(place.firstElementChild as HTMLElement)
    place.firstElementChild?.classList.add('h-full')
    const tree =
      bytes.byteLength > MOST_DIRECT ? (
        <JsonRows source={documentOf(bytes).source} label="State" className="h-full" />
      ) : (
        <JsonTree value={parseJson(new TextDecoder().decode(bytes))} label="State" className="h-full" />
      )
    root.render(tree)
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
