'use client'
import { Dialog } from '@/components/ui/dialog'
import { Kbd } from '@/components/ui/kbd'

const SHORTCUTS: [string[], string][] = [
  [['Ctrl', 'K'], 'Go to any place (⌘ K on a Mac)'],
  [['?'], 'Show these shortcuts'],
  [['J'], 'Next row of a list'],
  [['K'], 'Previous row of a list'],
  [['Enter'], 'Open the row'],
  [['Space'], 'Peek into the row, where a list has it (also P)'],
  [['X'], 'Select the row, where a list has it'],
  [['Esc'], 'Close what is open'],
]

export const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Dialog open onOpenChange={onClose} title="Keyboard shortcuts">
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
      {SHORTCUTS.map(([keys, what]) => (
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
  </Dialog>
)
