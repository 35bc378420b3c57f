import { Dropdown } from 'antd'
import { useEffect } from 'react'
import { Icon } from '../icon.tsx'
import { ActionMenu } from './action-menu.tsx'
import './table.css'

/** `group`: actions with the same group share one button where actions are buttons. */
export type RowAction = {
  key: string
  label: string
  allowed?: true | string
  danger?: boolean
  group?: string
  onClick: () => void
}

const toMenuItems = (actions: readonly RowAction[]) =>
  actions.map(({ key, label, allowed = true, danger = false }) => ({
    key,
    danger: danger && allowed === true,
    disabled: allowed !== true,
    label:
      allowed === true ? (
        label
      ) : (
        <span className="act-cannot">
          {label}
          <small>{allowed}</small>
        </span>
      ),
  }))

/** The ⋯ menu at the end of a row. Disabled actions show the reason below their name. */
export const RowMenu = ({ label, acts: actions }: { label: string; acts: readonly RowAction[] }) => (
  <ActionMenu items={toMenuItems(actions)} onChoose={(key) => actions.find((act) => act.key === key)?.onClick()}>
    {(trigger) => (
      <button
        ref={trigger}
        type="button"
        className="row-more"
        aria-haspopup="menu"
        aria-label={`${label}的更多操作`}
        onClick={(event) => event.stopPropagation()}
      >
        <Icon name="more" />
      </button>
    )}
  </ActionMenu>
)

/** The ⋯ button of a row in a long list: its menu is rendered once for all rows (`SharedRowMenu`). */
export const MoreButton = ({ label, onPress }: { label: string; onPress: (button: HTMLButtonElement) => void }) => (
  <button
    type="button"
    className="row-more"
    aria-haspopup="menu"
    aria-label={`${label}的更多操作`}
    onClick={(event) => {
      event.stopPropagation()
      onPress(event.currentTarget)
    }}
  >
    <Icon name="more" />
  </button>
)

/** The menu of the pressed button, positioned over it; it closes when the button moves away. The focus returns to the button. */
export function SharedRowMenu({
  button,
  acts: actions,
  onClose,
}: {
  button: HTMLButtonElement
  acts: readonly RowAction[]
  onClose: () => void
}) {
  useEffect(() => {
    const closeOnMove = ({ target }: Event) => target instanceof Node && target.contains(button) && onClose()
    addEventListener('scroll', closeOnMove, true)
    return () => removeEventListener('scroll', closeOnMove, true)
  }, [button, onClose])
  const { left, top, width, height } = button.getBoundingClientRect()
  const close = () => {
    onClose()
    button.focus()
  }
  return (
    <Dropdown
      open
      autoFocus
      trigger={['click']}
      onOpenChange={(open) => {
        if (!open) close()
      }}
      menu={{
        items: toMenuItems(actions),
        onClick: ({ key, domEvent }) => {
          domEvent.stopPropagation()
          // The key press that chose an item must not press the button that is focused next.
          domEvent.preventDefault()
          close()
          actions.find((act) => act.key === key)?.onClick()
        },
      }}
    >
      <span className="row-menu-place" style={{ left, top, width, height }} />
    </Dropdown>
  )
}
