// Logged runs without what differs from one machine and one moment to the next.

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** @param {Record<string, any>[]} runs @param {{ folder: string, models: string }} places */
export function plainRuns(runs, { folder, models }) {
  /** @type {Map<string, string>} */
  const ids = new Map()
  const idOf = (id) => {
    if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`)
    return ids.get(id) ?? id
  }
  const plain = runs.map(({ serialized, session_name, extra, ...run }) => {
    const { runtime, ...rest } = extra ?? {}
    return { ...run, extra: rest }
  })
  const text = JSON.stringify(plain)
    .replaceAll(UUID, idOf)
    .replaceAll(folder, '.')
    .replaceAll(models, 'https://models.example.com')
    .replace(/\/[\w./@-]*(real-traces|node:internal|lib\/node)[\w./@:-]*/g, './caller.mjs')
  return JSON.parse(text)
}
