'use client'
import { Dialog } from '@/components/ui/dialog'
import { Kbd } from '@/components/ui/kbd'
import { navItemsFor } from './navigation/nav'
import type { ShellWorkspace } from './sidebar'

type Place = Omit<ShellWorkspace, 'name'>

const sectionKeys = (current: Place): string =>
  navItemsFor(current)
    .slice(1)
    .map(({ key, label }) => `${key.toUpperCase()}: ${label}`)
    .join(', ')

const shortcuts = (current: Place): [string[], string][] => [
  [['Ctrl', 'K'], 'Search pages and deployments (⌘ K on a Mac)'],
  [['?'], 'Show keyboard shortcuts'],
  [['G', 'H'], `Go to Home. Also ${sectionKeys(current)}`],
  [['J'], 'Next row'],
  [['K'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['Space'], 'Preview the row, if the list supports it (also P)'],
  [['X'], 'Select the row, if the list supports it'],
  [['Esc'], 'Close the dialog or menu'],
]

/** `help`: the documentation of the current page. */
export const Shortcuts = ({ current, help, onClose }: { current: Place; help: string; onClose: () => void }) => (
  <Dialog open onOpenChange={onClose} title="Keyboard shortcuts">
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
      {shortcuts(current).map(([keys, what]) => (
        <div key={what} className="contents">
          <dt className="flex gap-1">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dt>
          <dd className="text-ink-2">{what}</dd>
        </div>
      ))}
    </dl>
    <p className="mt-4 flex gap-4">
      <a href={help} target="_blank" rel="noreferrer" className="text-accent hover:underline">
        Help for this page
      </a>
      <a href="/docs/use/keyboard" target="_blank" rel="noreferrer" className="text-accent hover:underline">
        All keys
      </a>
    </p>
  </Dialog>
)
