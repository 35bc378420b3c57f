import { Icon } from '../icon.tsx'
import { Menu } from './menu.tsx'
import './table.css'

export type RowAct = { key: string; label: string; verdict?: true | string; danger?: boolean; onClick: () => void }

/** ⋯ at the end of a row. What cannot be done says why, under its name. */
export const RowMenu = ({ label, acts }: { label: string; acts: readonly RowAct[] }) => (
  <Menu
    items={acts.map(({ key, label, verdict = true, danger = false }) => ({
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
    }))}
    onChoose={(key) => acts.find((act) => act.key === key)?.onClick()}
  >
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
