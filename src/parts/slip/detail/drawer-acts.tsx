import { Button } from 'antd'
import { Act } from '../../../ui/act.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/table/menu.tsx'
import type { RowAct } from '../../../ui/table/row-menu.tsx'
import styles from '../batch/batch.module.css'

/** Under the slip: what its row offers, but to open it. What is of one kind stands behind one button. */
export function DrawerActs({ acts }: { acts: readonly RowAct[] }) {
  const groups = new Map<string, RowAct[]>()
  for (const act of acts.filter(({ key }) => key !== 'open')) {
    const name = act.group ?? act.key
    groups.set(name, [...(groups.get(name) ?? []), act])
  }
  return (
    <div className={styles.drawerFoot}>
      {[...groups].map(([name, of]) => {
        const [only] = of
        if (of.length > 1 || !only) return <Group key={name} name={name} acts={of} />
        const { key, label, danger = false, verdict = true, onClick } = only
        return (
          <Act key={key} danger={danger} verdict={verdict} onClick={onClick}>
            {label}
          </Act>
        )
      })}
    </div>
  )
}

const Group = ({ name, acts }: { name: string; acts: readonly RowAct[] }) => (
  <Menu
    items={acts.map(({ key, label }) => ({ key, label }))}
    onChoose={(chosen) => acts.find(({ key }) => key === chosen)?.onClick()}
  >
    {(trigger) => (
      <Button ref={trigger} aria-haspopup="menu">
        {name} <Icon name="down" size={14} />
      </Button>
    )}
  </Menu>
)
