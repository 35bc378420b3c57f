import { Button } from 'antd'
import { ActionButton } from '../../../components/action-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { ActionMenu } from '../../../components/table/action-menu.tsx'
import type { RowAction } from '../../../components/table/row-menu.tsx'
import styles from '../batch/batch.module.css'

/** The actions of a payslip in the drawer, without opening it. Actions of one group share a button. */
export function DrawerActions({ acts: actions }: { acts: readonly RowAction[] }) {
  const groups = new Map<string, RowAction[]>()
  for (const action of actions.filter(({ key }) => key !== 'open')) {
    const name = action.group ?? action.key
    groups.set(name, [...(groups.get(name) ?? []), action])
  }
  return (
    <div className={styles.drawerFoot}>
      {[...groups].map(([name, groupActions]) => {
        const [only] = groupActions
        if (groupActions.length > 1 || !only) return <ActionGroup key={name} name={name} acts={groupActions} />
        const { key, label, danger = false, allowed = true, onClick } = only
        return (
          <ActionButton key={key} danger={danger} allowed={allowed} onClick={onClick}>
            {label}
          </ActionButton>
        )
      })}
    </div>
  )
}

const ActionGroup = ({ name, acts: actions }: { name: string; acts: readonly RowAction[] }) => (
  <ActionMenu
    items={actions.map(({ key, label }) => ({ key, label }))}
    onChoose={(selectedKey) => actions.find(({ key }) => key === selectedKey)?.onClick()}
  >
    {(trigger) => (
      <Button ref={trigger} aria-haspopup="menu">
        {name} <Icon name="down" size={14} />
      </Button>
    )}
  </ActionMenu>
)
