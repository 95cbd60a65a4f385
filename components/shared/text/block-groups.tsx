import { type ComponentType, memo } from 'react'
import { cn } from '@/lib/cn'

/**
 * So many blocks of a long text are laid out together or, out of sight, not at all: where the browser has to ask this of
 * each block by itself, a text of a thousand costs more to ask than to draw.
 */
const GROUP = 16

type Props<T> = { blocks: readonly T[]; Block: ComponentType<{ block: T }>; className?: string }

/** The blocks of a text that may still be growing: only groups whose blocks changed are redrawn. */
export function BlockGroups<T>({ blocks, Block, className }: Props<T>) {
  const groups = Math.ceil(blocks.length / GROUP)
  return Array.from({ length: groups }, (_, index) => (
    <Group
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
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
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
        <Block key={index} block={block} />
      ))}
    </div>
  ),
  (before, after) =>
    before.className === after.className &&
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, index) => block === after.blocks[index]),
)
