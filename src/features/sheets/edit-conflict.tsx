import { Button } from 'antd'
import { Icon } from '../../components/icon.tsx'
import styles from './send.module.css'

/** Two users edited the same data: the second one decides which version stays. */
export function EditConflict(props: { why: string; what: string; onTheirs: () => void; onOwn: () => void }) {
  return (
    <div className={styles.wrong} data-tone="warn" role="alert">
      <Icon name="warn" />
      <div className="ui-stack">
        <strong>{props.why}</strong>
        <div className="ui-row">
          <Button type="primary" onClick={props.onTheirs}>
            看改后的{props.what}
          </Button>
          <Button onClick={props.onOwn}>仍用我的，替换改后的</Button>
        </div>
      </div>
    </div>
  )
}
