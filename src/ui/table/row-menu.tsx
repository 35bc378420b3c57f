import { Dropdown } from 'antd'
import { useRef } from 'react'
import { Icon } from '../icon.tsx'
import './table.css'

export type RowAct = { key: string; label: string; verdict?: true | string; danger?: boolean; onClick: () => void }

/** ⋯ at the end of a row. What cannot be done says why, under its name. */
export function RowMenu({ label, acts }: { label: string; acts: readonly RowAct[] }) {
  const trigger = useRef<HTMLButtonElement>(null)
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items: acts.map(({ key, label, verdict = true, danger = false }) => ({
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
        })),
        onClick: ({ key, domEvent }) => {
          domEvent.stopPropagation()
          // The menu goes away with the focus; what comes next (a dialog) gives it back to where it was.
          trigger.current?.focus()
          acts.find((act) => act.key === key)?.onClick()
        },
      }}
    >
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
    </Dropdown>
  )
}
