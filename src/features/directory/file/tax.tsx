import { Button } from 'antd'
import { formatFen } from '../../../../server/contract/shared/money.ts'
import { type MemberTax, revealMemberTax } from '../../../../server/contract/tax/history.ts'
import { deductionLabels } from '../../../../server/contract/tax/kinds.ts'
import { useCallMutation } from '../../../api.ts'
import { DetailItem, DetailList } from '../../../components/details/detail-list.tsx'
import styles from './file.module.css'

/** The member's deductions and contribution bases: masked until revealed, which is recorded in the member file. */
export function MemberTaxSection({ member_id }: { member_id: string }) {
  const reveal = useCallMutation(revealMemberTax)
  return (
    <section className="ui-card" aria-labelledby="file-tax">
      <h2 id="file-tax">个税与社保</h2>
      {reveal.data ? (
        <MemberTaxDetails stored={reveal.data} />
      ) : (
        <DetailList>
          <DetailItem name="专项附加扣除">••••••</DetailItem>
          <DetailItem name="社保与公积金基数">••••••</DetailItem>
          <DetailItem name="内容已加密">
            <Button
              type="link"
              className={styles.show}
              loading={reveal.isPending}
              title="查看会在变更记录里留下一条，本人也能看到"
              onClick={() => reveal.mutate({ member_id })}
            >
              查看个税与社保
            </Button>
          </DetailItem>
        </DetailList>
      )}
    </section>
  )
}

const formatPeriod = ({ from, to }: MemberTax['deductions'][number]) => [from, to].filter(Boolean).join(' 至 ')

function MemberTaxDetails({ stored: { deductions, confirmed_year, insurance } }: { stored: MemberTax }) {
  const [current, ...previous] = insurance
  return (
    <DetailList>
      <DetailItem name="专项附加扣除" wide>
        {deductions.length > 0 && (
          <ul className={styles.changes}>
            {deductions.map((item) => (
              <li key={`${item.kind} ${item.whose} ${item.from}`}>
                {[
                  deductionLabels[item.kind],
                  item.whose,
                  formatPeriod(item),
                  item.amount_fen !== null && formatFen(item.amount_fen),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </li>
            ))}
          </ul>
        )}
      </DetailItem>
      {deductions.length > 0 && <DetailItem name="已确认年度">{confirmed_year ?? '还没有确认'}</DetailItem>}
      <DetailItem name="参保城市">{current && (current.insured ? current.city : `${current.from} 起不在本公司参保`)}</DetailItem>
      {current?.insured && (
        <>
          <DetailItem name="社保基数">{formatFen(current.social_fen)}</DetailItem>
          <DetailItem name="公积金基数">
            {current.housing_fund_ppm !== null && formatFen(current.housing_fund_fen ?? current.social_fen)}
          </DetailItem>
          <DetailItem name="从哪个月起">{current.from}</DetailItem>
        </>
      )}
      {previous.length > 0 && (
        <DetailItem name="以前的基数">
          {previous.map((item) => `${item.from} 起 ${formatFen(item.social_fen)}`).join('；')}
        </DetailItem>
      )}
    </DetailList>
  )
}
