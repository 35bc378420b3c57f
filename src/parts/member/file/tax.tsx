import { Button } from 'antd'
import { deductionWords } from '../../../../server/contract/wage/kinds.ts'
import { type MemberTax, showMemberTax } from '../../../../server/contract/wage/tax/tax-history.ts'
import { formatFen } from '../../../../server/contract/words/money.ts'
import { useCall } from '../../../api.ts'
import { Fact, Facts } from '../../../ui/facts/facts.tsx'
import styles from './file.module.css'

/** What he may deduct and on what he is insured: masked until somebody asks, and that stands in the file from then on. */
export function Tax({ member_id }: { member_id: string }) {
  const show = useCall(showMemberTax)
  return (
    <section className="ui-card" aria-labelledby="file-tax">
      <h2 id="file-tax">个税与社保</h2>
      {show.data ? (
        <Kept kept={show.data} />
      ) : (
        <Facts>
          <Fact name="专项附加扣除">••••••</Fact>
          <Fact name="社保与公积金基数">••••••</Fact>
          <Fact name="内容已加密">
            <Button
              type="link"
              className={styles.show}
              loading={show.isPending}
              title="查看会在变更记录里留下一条，本人也能看到"
              onClick={() => show.mutate({ member_id })}
            >
              查看个税与社保
            </Button>
          </Fact>
        </Facts>
      )}
    </section>
  )
}

const span = ({ from, to }: MemberTax['deductions'][number]) => [from, to].filter(Boolean).join(' 至 ')

function Kept({ kept: { deductions, confirmed_year, insurance } }: { kept: MemberTax }) {
  const [now, ...before] = insurance
  return (
    <Facts>
      <Fact name="专项附加扣除" wide>
        {deductions.length > 0 && (
          <ul className={styles.changes}>
            {deductions.map((one) => (
              <li key={`${one.kind} ${one.whose} ${one.from}`}>
                {[deductionWords[one.kind], one.whose, span(one), one.amount_fen !== null && formatFen(one.amount_fen)]
                  .filter(Boolean)
                  .join(' · ')}
              </li>
            ))}
          </ul>
        )}
      </Fact>
      {deductions.length > 0 && <Fact name="已确认年度">{confirmed_year ?? '还没有确认'}</Fact>}
      <Fact name="参保城市">{now && (now.insured ? now.city : `${now.from} 起不在本公司参保`)}</Fact>
      {now?.insured && (
        <>
          <Fact name="社保基数">{formatFen(now.social_fen)}</Fact>
          <Fact name="公积金基数">{now.housing_fund_ppm !== null && formatFen(now.housing_fund_fen ?? now.social_fen)}</Fact>
          <Fact name="从哪个月起">{now.from}</Fact>
        </>
      )}
      {before.length > 0 && (
        <Fact name="以前的基数">{before.map((one) => `${one.from} 起 ${formatFen(one.social_fen)}`).join('；')}</Fact>
      )}
    </Facts>
  )
}
