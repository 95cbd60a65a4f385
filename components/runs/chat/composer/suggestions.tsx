import type { RefObject } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'

type Props = {
  texts: readonly string[]
  onText: (text: string) => void
  field: RefObject<HTMLTextAreaElement | null>
}

/** First messages to choose from. Each is put into the field, so that it can be changed before it is sent. */
export function Suggestions({ texts, onText, field }: Props) {
  if (texts.length === 0) return null
  return (
    <ul aria-label="Suggestions" className="mt-4 flex flex-wrap justify-center gap-2">
      {texts.map((text) => (
        <li key={text} className="min-w-0">
          <Button
            size="sm"
            className="max-w-full"
            title={text}
            onClick={() => {
              onText(text)
              field.current?.focus()
            }}
          >
            <span className="truncate">
              <VisibleText>{text}</VisibleText>
            </span>
          </Button>
        </li>
      ))}
    </ul>
  )
}
