import { memo, useState } from 'react'
import { TextBlocks } from './text-blocks'
import { VisibleText } from './visible-text'

/** From so many blocks on, those out of sight are not laid out. */
const LONG = 16

/** Text that may still be growing, as it is: line ends kept, nothing interpreted. Only its last block is drawn anew. */
export function StreamText({ text, className }: { text: string; className?: string }) {
  // Kept outside React on purpose: what was cut before must not be cut again with each token.
  const [cutter] = useState(() => new TextBlocks())
  const blocks = cutter.update(text)
  return (
    <div dir="auto" className={className}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
        <Block key={index} text={block} isLazy={blocks.length > LONG && index < blocks.length - 2} />
      ))}
    </div>
  )
}

const Block = memo(function Block({ text, isLazy }: { text: string; isLazy: boolean }) {
  const lazy = isLazy ? ' [contain-intrinsic-size:auto_500px] [content-visibility:auto]' : ''
  return (
    <div className={`whitespace-pre-wrap break-words [overflow-wrap:anywhere]${lazy}`}>
      <VisibleText>{text}</VisibleText>
    </div>
  )
})
