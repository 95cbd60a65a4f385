'use client'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { cn } from '@/lib/cn'
import { Button } from './button'
import { openersNow, rememberOpeners, returnFocus } from './return-focus'

type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  children: ReactNode
  /** Opens from the side at full height instead of centred. */
  side?: 'center' | 'left' | 'right'
  className?: string
}

const PLACES = {
  center: 'top-[12vh] left-1/2 max-h-[76vh] base:w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 rounded-lg border',
  left: 'inset-y-0 left-0 base:w-[min(18rem,85vw)] border-r',
  right: 'inset-y-0 right-0 base:w-[min(30rem,92vw)] border-l',
}

export function Dialog({ open, onOpenChange, title, description, children, side = 'center', className }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cn(
            'fixed z-50 flex flex-col overflow-hidden border-line bg-panel shadow-pop',
            PLACES[side],
            className,
          )}
        >
          <header className="flex items-start gap-3 border-b px-4 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="line-clamp-3 break-words font-semibold text-base">{title}</Radix.Title>
              {description ? (
                <Radix.Description className="mt-0.5 text-ink-2 text-sm">{description}</Radix.Description>
              ) : null}
            </div>
            <Radix.Close asChild>
              <Button variant="ghost" size="icon" aria-label="Close">
                <X />
              </Button>
            </Radix.Close>
          </header>
          {/* React passes events of a portal on to the components around it: a form there must not be sent too. */}
          <div className="min-h-0 flex-1 overflow-y-auto p-4" onSubmit={(event) => event.stopPropagation()}>
            {children}
          </div>
        </Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const FIELD = 'form input:enabled:not([type=hidden]), form select:enabled, form textarea:enabled'

/**
 * Mounted while the dialog is open. Begins in the first field of its form, as Enter on the Close button would lose what was typed.
 * Gives the focus back to what opened it, because Radix knows only triggers of its own.
 */
function Content(props: ComponentProps<typeof Radix.Content>) {
  const [opened] = useState(openersNow)
  return (
    <Radix.Content
      {...props}
      ref={(element) => {
        if (element) rememberOpeners(element, opened)
      }}
      onOpenAutoFocus={(event) => {
        const field = event.target instanceof Element ? event.target.querySelector<HTMLElement>(FIELD) : null
        if (!field) return
        event.preventDefault()
        field.focus()
      }}
      onCloseAutoFocus={(event) => {
        event.preventDefault()
        if (document.activeElement === document.body) returnFocus(opened)
      }}
    />
  )
}
