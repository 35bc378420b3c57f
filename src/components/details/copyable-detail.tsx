import { Button } from 'antd'
import { copyText } from '../value/copy-text.ts'
import styles from './detail-list.module.css'
import { DetailItem } from './detail-list.tsx'

/** A detail that is entered elsewhere: with a button that copies it. */
export const CopyableDetail = ({ name, value }: { name: string; value: string }) => (
  <DetailItem name={name} wide>
    <span className={styles.copyable}>
      <span>{value}</span>
      <Button size="small" aria-label={`复制${name}`} onClick={() => copyText(name, value)}>
        复制
      </Button>
    </span>
  </DetailItem>
)
