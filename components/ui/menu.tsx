'use client'
import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type FocusEvent, type ReactNode, useContext, useRef } from 'react'
import { cn } from '@/lib/cn'
import { OpenedByKey } from './menu-on-demand'

type MenuProps = {
  trigger: ReactNode
  label: string
  align?: 'start' | 'end'
  defaultOpen?: boolean
  children: ReactNode
}

/** A menu below its trigger. `trigger` is a single element that accepts a ref, such as a Button. */
export function Menu({ trigger, label, align = 'end', defaultOpen, children }: MenuProps) {
  const isFirstByKey = useRef(useContext(OpenedByKey))
  const onFocus = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    if (!isFirstByKey.current || target !== currentTarget) return
    isFirstByKey.current = false
    currentTarget.querySelector<HTMLElement>('[role^=menuitem]:not([data-disabled])')?.focus()
  }
  return (
    // Not modal: a modal menu would hide the trigger, which keeps the focus, from screen readers.
    <DropdownMenu.Root modal={false} defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          aria-label={label}
          onFocus={onFocus}
          className="z-50 max-h-[70vh] min-w-44 overflow-y-auto rounded-md border border-line bg-panel p-1 shadow-pop"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const itemStyle =
  'flex cursor-default select-none items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover [&_svg]:size-3.5 [&_svg]:text-ink-3'

type MenuItemProps = {
  children: ReactNode
  onSelect?: () => void
  asChild?: boolean
  disabled?: boolean
  /** Why the item is disabled; shown below its label. */
  reason?: string
  tone?: 'danger'
  title?: string
}

export const MenuItem = ({ tone, disabled, reason, children, ...rest }: MenuItemProps) => (
  <DropdownMenu.Item
    className={cn(itemStyle, tone === 'danger' && 'text-error', reason && 'data-[disabled]:opacity-100')}
    disabled={disabled || reason !== undefined}
    {...rest}
  >
    {reason ? (
      <span className="max-w-56">
        <span className="opacity-50">{children}</span>
        <span className="block text-ink-3 text-xs">{reason}</span>
      </span>
    ) : (
      children
    )}
  </DropdownMenu.Item>
)
type MenuChoicesProps<Value extends string> = {
  label: string
  value: Value
  onValueChange: (value: Value) => void
  choices: readonly { value: Value; label: string; icon: ReactNode }[]
}

/** Items of which one is selected. Selecting keeps the menu open, so that the effect is visible. */
export const MenuChoices = <Value extends string>({
  label,
  value,
  onValueChange,
  choices,
}: MenuChoicesProps<Value>) => (
  // Radix returns one of the values below.
  <DropdownMenu.RadioGroup aria-label={label} value={value} onValueChange={(next) => onValueChange(next as Value)}>
    {choices.map((choice) => (
      <DropdownMenu.RadioItem
        key={choice.value}
        value={choice.value}
        onSelect={(event) => event.preventDefault()}
        className={itemStyle}
      >
        {choice.icon}
        <span className="flex-1">{choice.label}</span>
        <DropdownMenu.ItemIndicator>
          <Check aria-hidden />
        </DropdownMenu.ItemIndicator>
      </DropdownMenu.RadioItem>
    ))}
  </DropdownMenu.RadioGroup>
)

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="px-2 py-1 text-2xs text-ink-3">{children}</DropdownMenu.Label>
)
export const MenuSeparator = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />
