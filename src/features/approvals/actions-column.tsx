import type { ReactNode } from 'react'
import type { Columns } from '../../components/table/data-table.tsx'

/** Builds the column with the decision buttons; on a phone there is none, because the buttons are below the applicant. */
export const createActionsColumn = <T extends object>(isNarrow: boolean, renderActions: (row: T) => ReactNode): Columns<T> =>
  isNarrow
    ? []
    : [
        {
          title: <span className="sr-only">操作</span>,
          key: 'acts',
          width: 150,
          fixed: 'right',
          render: (_, row) => renderActions(row),
        },
      ]
