'use client'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { withBasePath } from '@/lib/base-path'
import { KEY_VARIABLE } from '@/lib/format/format'

/** The section of the documentation that says where the key is. */
const KEY_HELP = '/docs/use/overview#call-it-from-code'

export type Snippet = { label: string; text: string }

/**
 * A code snippet in several languages, to copy. It reads the API key from an environment variable, never from the console.
 */
export function Snippets({ label, all, children }: { label: string; all: readonly Snippet[]; children?: ReactNode }) {
  const [chosen, setChosen] = useState(0)
  const text = all[chosen]?.text ?? ''
  return (
    <>
      <fieldset aria-label={label} className="mb-2 flex flex-wrap gap-1">
        {all.map((one, index) => (
          <Button
            key={one.label}
            size="sm"
            variant={index === chosen ? 'secondary' : 'ghost'}
            aria-pressed={index === chosen}
            onClick={() => setChosen(index)}
          >
            {one.label}
          </Button>
        ))}
      </fieldset>
      <div className="relative rounded-md border bg-sunken">
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
          tabIndex={0}
          aria-label="Snippet"
          className="mr-10 overflow-x-auto p-3"
        >
          <pre className="font-mono text-xs">{text}</pre>
        </section>
        <CopyButton value={text} what="snippet" className="absolute top-2 right-2" />
      </div>
      <p className="mt-2 text-ink-2 text-xs">
        Put your API key in <code className="font-mono">{KEY_VARIABLE}</code>. The console never shows keys.{' '}
        <a href={withBasePath(KEY_HELP)} target="_blank" rel="noreferrer" className="text-accent underline">
          Where to find it
        </a>
        .{children}
      </p>
    </>
  )
}
