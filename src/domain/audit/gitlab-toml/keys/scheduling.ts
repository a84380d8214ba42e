import { type Keys, keysOf } from './shape.ts'

const expressions: Keys = { ...keysOf('string', 'key operator'), values: 'strings' }
const labelSelector: Keys = { match_labels: 'string-map', match_expressions: { tables: expressions } }
const nodeTerm: Keys = {
  match_expressions: { tables: expressions },
  match_fields: { tables: expressions },
}
const podTerm: Keys = {
  topology_key: 'string',
  ...keysOf('strings', 'namespaces match_label_keys mismatch_label_keys'),
  ...keysOf({ table: labelSelector }, 'label_selector namespace_selector'),
}
const required = 'required_during_scheduling_ignored_during_execution'
const preferred = 'preferred_during_scheduling_ignored_during_execution'
const podAffinity: Keys = {
  [required]: { tables: podTerm },
  [preferred]: { tables: { weight: 'integer', pod_affinity_term: { table: podTerm } } },
}

/** `[runners.kubernetes.affinity]`. */
export const affinity: Keys = {
  node_affinity: {
    table: {
      [required]: { table: { node_selector_terms: { tables: nodeTerm } } },
      [preferred]: { tables: { weight: 'integer', preference: { table: nodeTerm } } },
    },
  },
  ...keysOf({ table: podAffinity }, 'pod_affinity pod_anti_affinity'),
}
