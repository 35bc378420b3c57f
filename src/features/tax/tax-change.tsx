import { AmountChange } from '../../components/value/money.tsx'
import styles from './tax.module.css'

/** A change of a tax figure. More tax is no good news: a change is plain, and a difference between two sources is a warning. */
export const TaxChange = ({ value, unit, isDifference = false }: { value: number; unit?: string; isDifference?: boolean }) => (
  <span className={isDifference && value !== 0 ? styles.difference : styles.change}>
    <AmountChange value={value} {...(unit ? { unit } : {})} />
  </span>
)
