import { entryOf } from '@/lib/json/guards'

const SOURCES: Record<string, string> = {
  github: 'Git',
  external_docker: 'Image',
  internal_docker: 'Image',
  internal_source: 'Upload',
  external: 'Agent server',
}

/** What a source is called on all pages; one that is not known, as the server spells it. */
export const sourceLabel = (source: string): string => entryOf(SOURCES, source) ?? source
