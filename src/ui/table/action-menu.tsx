import { Dropdown, type MenuProps } from 'antd'
import { type ReactElement, type RefObject, useRef } from 'react'

/**
 * What a button opens: walked through with the arrows as soon as it is open, chosen from with Enter, closed with Esc. However it closes, the focus
 * goes back to the button first; a dialog that was chosen takes it from there and gives it back to there.
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
        // Closed by a click elsewhere, the focus stays where that put it.
        else setTimeout(() => isFocusLostOrInMenu() && trigger.current?.focus(), 0)
      }}
      menu={{
        items: props.items,
        onClick: ({ key, domEvent }) => {
          domEvent.stopPropagation()
          // The key that chose must not press the button that has the focus next.
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

/** Nowhere, or in a menu that is going away. */
const isFocusLostOrInMenu = () =>
  document.activeElement === document.body || document.activeElement?.closest('.ant-dropdown') != null
