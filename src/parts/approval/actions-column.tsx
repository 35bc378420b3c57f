import type { ReactNode } from 'react'
import type { Columns } from '../../ui/table/data-table.tsx'

/** The decision at the end of a row; none on a phone, where it stands under who asks. */
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
