import { Dropdown, type MenuProps } from 'antd'
import { type ReactElement, type RefObject, useRef } from 'react'

/**
 * The menu of a button: arrow keys move through it as soon as it is open, Enter chooses, Esc closes. However it closes,
 * the focus first returns to the button; a dialog opened from it takes the focus from there and returns it to there.
 */
export function ActionMenu(props: {
  items: NonNullable<MenuProps['items']>
  onChoose: (key: string) => void
  onOpen?: () => void
  children: (trigger: RefObject<HTMLButtonElement | null>) => ReactElement
}) {
  const trigger = useRef<HTMLButtonElement>(null)
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      onOpenChange={(open) => {
        if (open) props.onOpen?.()
        // After a click elsewhere, the focus stays where the click put it.
        else setTimeout(() => isFocusLostOrInMenu() && trigger.current?.focus(), 0)
      }}
      menu={{
        items: props.items,
        onClick: ({ key, domEvent }) => {
          domEvent.stopPropagation()
          // The key press that chose an item must not press the button that is focused next.
          domEvent.preventDefault()
          trigger.current?.focus()
          props.onChoose(key)
        },
      }}
    >
      {props.children(trigger)}
    </Dropdown>
  )
}

/** Returns whether the focus is nowhere, or in a closing menu. */
const isFocusLostOrInMenu = () =>
  document.activeElement === document.body || document.activeElement?.closest('.ant-dropdown') != null
