import { Money } from '../../../components/value/money.tsx'
import styles from '../tax.module.css'

/** The new amount, with the former one where it differs. */
export const AmountChange = ({ before, after }: { before: number | null; after: number | null }) => (
  <span className="ui-nowrap">
    {before !== null && before !== after && (
      <>
        <del className={styles.before}>
          <Money fen={before} />
        </del>{' '}
        <span aria-hidden>→</span>{' '}
      </>
    )}
    <Money fen={after} />
  </span>
)
