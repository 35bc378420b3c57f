import { Dropdown } from 'antd'
import { useEffect } from 'react'
import { Icon } from '../icon.tsx'
import { Menu } from './menu.tsx'
import './table.css'

/** `group`: with those of the same name it stands behind one button, where acts are buttons. */
export type RowAct = {
  key: string
  label: string
  verdict?: true | string
  danger?: boolean
  group?: string
  onClick: () => void
}

const itemsOf = (acts: readonly RowAct[]) =>
  acts.map(({ key, label, verdict = true, danger = false }) => ({
    key,
    danger: danger && verdict === true,
    disabled: verdict !== true,
    label:
      verdict === true ? (
        label
      ) : (
        <span className="act-cannot">
          {label}
          <small>{verdict}</small>
        </span>
      ),
  }))

/** ⋯ at the end of a row. What cannot be done says why, under its name. */
export const RowMenu = ({ label, acts }: { label: string; acts: readonly RowAct[] }) => (
  <Menu items={itemsOf(acts)} onChoose={(key) => acts.find((act) => act.key === key)?.onClick()}>
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
  </Menu>
)

/** The ⋯ of a row among very many: what it opens is drawn once for all of them (`OneMenu`). */
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

/** The menu of the button that was pressed, laid over its place; where that moves away it closes. The focus goes back to the button. */
export function OneMenu({ button, acts, onClose }: { button: HTMLButtonElement; acts: readonly RowAct[]; onClose: () => void }) {
  useEffect(() => {
    const moved = ({ target }: Event) => target instanceof Node && target.contains(button) && onClose()
    addEventListener('scroll', moved, true)
    return () => removeEventListener('scroll', moved, true)
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
        items: itemsOf(acts),
        onClick: ({ key, domEvent }) => {
          domEvent.stopPropagation()
          // The key that chose must not press the button that has the focus next.
          domEvent.preventDefault()
          close()
          acts.find((act) => act.key === key)?.onClick()
        },
      }}
    >
      <span className="row-menu-place" style={{ left, top, width, height }} />
    </Dropdown>
  )
}
