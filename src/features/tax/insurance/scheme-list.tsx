import { Button } from 'antd'
import { useState } from 'react'
import type { SchemeInfo, SchemeTemplate } from '../../../../server/contract/tax/insurance.ts'
import { insuranceLabels } from '../../../../server/contract/tax/kinds.ts'
import { Icon } from '../../../components/icon.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ActionMenu } from '../../../components/table/action-menu.tsx'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import styles from '../tax.module.css'
import { createEmptyScheme, formatRounding, formatSchemeRate, formatValidity } from './labels.ts'

const InsuranceSchemeDialog = lazyDialog(async () => (await import('./scheme-dialog.tsx')).InsuranceSchemeDialog)

type SchemeEdit = { readonly scheme: SchemeTemplate; readonly existing: SchemeInfo | null; readonly as_new_version: boolean }

/** The company's schemes as cards; published city schemes are offered as templates. */
export function InsuranceSchemeList({ list, templates }: { list: readonly SchemeInfo[]; templates: readonly SchemeTemplate[] }) {
  const [edit, setEdit] = useState<SchemeEdit | null>(null)
  const startNew = (scheme: SchemeTemplate) => setEdit({ scheme, existing: null, as_new_version: false })
  const add = (
    <AddSchemeButton
      templates={templates}
      onAdd={(template) => startNew(template ?? createEmptyScheme(`${new Date().getFullYear()}-07`))}
    />
  )
  return (
    <>
      {list.length === 0 ? (
        <section className="ui-card">
          <EmptyState
            text="还没有参保方案。从城市公布的标准开始，或自己填写一份；不同年度各存一份，以前月份的计算不会改变。"
            action={add}
          />
        </section>
      ) : (
        <>
          <div className="ui-row">{add}</div>
          <div className={styles.schemes}>
            {list.map((scheme) => (
              <SchemeCard
                key={scheme.scheme_id}
                scheme={scheme}
                onEdit={() => setEdit({ scheme, existing: scheme, as_new_version: scheme.locked_through !== null })}
              />
            ))}
          </div>
        </>
      )}
      {edit && (
        <>
          <InsuranceSchemeDialog {...edit} onClose={() => setEdit(null)} />
        </>
      )}
    </>
  )
}

function AddSchemeButton({
  templates,
  onAdd,
}: {
  templates: readonly SchemeTemplate[]
  onAdd: (template: SchemeTemplate | null) => void
}) {
  const items = [
    ...templates.map((candidate, index) => ({
      key: String(index),
      label: `${candidate.city} ${formatValidity(candidate)}（已公布）`,
    })),
    { key: 'empty', label: '其他城市，自己填写' },
  ]
  return (
    <ActionMenu items={items} onChoose={(key) => onAdd(key === 'empty' ? null : (templates[Number(key)] ?? null))}>
      {(trigger) => (
        <Button ref={trigger} type="primary" icon={<Icon name="add" />}>
          添加方案
        </Button>
      )}
    </ActionMenu>
  )
}

function SchemeCard({ scheme, onEdit }: { scheme: SchemeInfo; onEdit: () => void }) {
  const { city, document, items, version, locked_through, replaced, by, changed_at } = scheme
  const checks = items.flatMap(({ code, check }) => (check ? [`${insuranceLabels[code]}：${check}`] : []))
  return (
    <article
      className={`ui-card ${styles.scheme}`}
      data-old={replaced || undefined}
      aria-label={`${city} ${formatValidity(scheme)}`}
    >
      <div className={styles.schemeHead}>
        <h2>
          {city} <small className="ui-hint">{formatValidity(scheme)}</small>
        </h2>
        {replaced ? (
          <StatusDot label="已被新版本取代" color="ink3" />
        ) : locked_through ? (
          <StatusDot label={`${locked_through} 及以前已锁定`} color="info" />
        ) : (
          <StatusDot label="可以修改" color="ok" />
        )}
        {!replaced && (
          <Button
            type="link"
            aria-label={`${locked_through ? '另存为新版本' : '修改'}：${city} ${formatValidity(scheme)}`}
            onClick={onEdit}
          >
            {locked_through ? '另存为新版本' : '修改'}
          </Button>
        )}
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">险种</th>
            <th scope="col">基数下限 – 上限</th>
            <th scope="col">个人</th>
            <th scope="col">单位</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.code}>
              <th scope="row">
                {insuranceLabels[item.code]}
                <div className="ui-hint">{formatRounding(item)}</div>
              </th>
              <td>
                <Money fen={item.floor_fen} /> – {item.ceiling_fen === null ? '不限' : <Money fen={item.ceiling_fen} />}
              </td>
              <td>{formatSchemeRate(item, 'employee')}</td>
              <td>{formatSchemeRate(item, 'employer')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {checks.length > 0 && <p className={styles.soon}>使用前请核对：{checks.join('；')}</p>}
      <p className={styles.schemeSource}>依据：{document}</p>
      <p className={styles.schemeSource}>
        第 {version} 版 · {by} 于 {changed_at.slice(0, 10)} 保存
      </p>
    </article>
  )
}
