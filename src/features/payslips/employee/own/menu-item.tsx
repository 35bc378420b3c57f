import { Icon, type IconName } from '../../../../components/icon.tsx'
import styles from '../m.module.css'

export const MenuItem = (props: { icon: IconName; text: string; note?: string; onClick: () => void }) => (
  <button type="button" className={styles.meEntry} onClick={props.onClick}>
    <Icon name={props.icon} />
    <span>{props.text}</span>
    {props.note && <small>{props.note}</small>}
    <Icon name="arrow" size={16} />
  </button>
)
