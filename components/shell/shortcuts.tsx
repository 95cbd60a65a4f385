'use client'
import { Dialog } from '@/components/ui/dialog'
import { Kbd } from '@/components/ui/kbd'
import { withBasePath } from '@/lib/base-path'
import { navItemsFor } from './navigation/nav'
import type { ShellWorkspace } from './sidebar'

type Place = Omit<ShellWorkspace, 'name'>
type Group = { title: string; keys: readonly (readonly [keys: readonly string[], what: string])[] }

const groups = (current: Place): Group[] => [
  {
    title: 'Everywhere',
    keys: [
      [['Ctrl', 'K'], 'Search pages, deployments and actions (⌘ K on a Mac)'],
      [['?'], 'Show keyboard shortcuts'],
      [['Esc'], 'Close the dialog or menu'],
    ],
  },
  {
    title: 'Go to a section: G, then its letter',
    keys: navItemsFor(current).map(({ key, label }) => [['G', key.toUpperCase()], label] as const),
  },
  {
    title: 'In a list',
    keys: [
      [['J'], 'Next row'],
      [['K'], 'Previous row'],
      [['Enter'], 'Open the row'],
      [['Space'], 'Preview the row, if the list supports it (also P)'],
      [['X'], 'Select the row, if the list supports it'],
    ],
  },
  {
    title: 'At a question',
    keys: [
      [['A'], 'Approve'],
      [['E'], 'Edit the arguments'],
      [['R'], 'Reject'],
      [['1'], 'Give the first answer that is offered; 2 to 9 the others'],
    ],
  },
]

/** `help`: the documentation of the current page. */
export const Shortcuts = ({ current, help, onClose }: { current: Place; help: string; onClose: () => void }) => (
  <Dialog open onOpenChange={onClose} title="Keyboard shortcuts">
    <table className="w-full text-left text-sm">
      <thead className="sr-only">
        <tr>
          <th>Keys</th>
          <th>Action</th>
        </tr>
      </thead>
      {groups(current).map(({ title, keys }) => (
        <tbody key={title}>
          <tr>
            <th colSpan={2} scope="rowgroup" className="pt-3 pb-1 font-medium text-ink-3 text-xs">
              {title}
            </th>
          </tr>
          {keys.map(([pressed, what]) => (
            <tr key={what} className="border-t">
              <td className="w-24 py-1 pr-4 align-top">
                <span className="flex gap-1">
                  {pressed.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </span>
              </td>
              <td className="py-1 text-ink-2">{what}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
    <p className="mt-4 flex gap-4">
      <a href={withBasePath(help)} target="_blank" rel="noreferrer" className="text-accent hover:underline">
        Help for this page
      </a>
      <a
        href={withBasePath('/docs/use/keyboard')}
        target="_blank"
        rel="noreferrer"
        className="text-accent hover:underline"
      >
        All keys
      </a>
    </p>
  </Dialog>
)
