import { type ComponentType, memo } from 'react'
import { cn } from '@/lib/cn'

/**
 * Blocks per group. The browser skips the layout of groups out of sight; checking each block separately would cost more
 * than rendering a text of a thousand blocks.
 */
const GROUP = 16

type Props<T> = { blocks: readonly T[]; Block: ComponentType<{ block: T }>; className?: string }

/** The blocks of a text that may still be growing. Only groups whose blocks changed render again. */
export function BlockGroups<T>({ blocks, Block, className }: Props<T>) {
  const groups = Math.ceil(blocks.length / GROUP)
  return Array.from({ length: groups }, (_, index) => (
    <Group
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended
      key={index}
      blocks={blocks.slice(index * GROUP, (index + 1) * GROUP)}
      Block={Block as ComponentType<{ block: unknown }>}
      className={cn(className, index < groups - 1 && '[contain-intrinsic-size:auto_8000px] [content-visibility:auto]')}
    />
  ))
}

const Group = memo(
  ({ blocks, Block, className }: Props<unknown>) => (
    <div className={className}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended
        <Block key={index} block={block} />
      ))}
    </div>
  ),
  (before, after) =>
    before.className === after.className &&
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, index) => block === after.blocks[index]),
)
