import { BudgetAlertRule } from '@cdktf/provider-oci/budget-alert-rule';
import { BudgetBudget } from '@cdktf/provider-oci/budget-budget';
import { Construct } from '../framework.ts';
import type { InHomeRegion } from './policies.ts';

interface BudgetProps {
  name: string;
  tenancyId: string;
  compartmentId: string;
  /** In the tenancy's currency, a month. */
  amount: number;
  emails: string[];
  inHomeRegion: InHomeRegion;
}

const ALERT_PERCENT = 80;

/** Tells operators when the month's costs are forecast to pass most of an amount. It stops nothing. */
export class Budget extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { name, tenancyId, compartmentId, amount, emails, inHomeRegion }: BudgetProps,
  ) {
    super(scope, id);
    const budget = new BudgetBudget(this, 'budget', {
      // Budgets are kept at the root.
      compartmentId: tenancyId,
      displayName: name,
      amount,
      resetPeriod: 'MONTHLY',
      targetType: 'COMPARTMENT',
      targets: [compartmentId],
      ...inHomeRegion,
    });
    new BudgetAlertRule(this, 'alert', {
      budgetId: budget.id,
      displayName: `${name}-alert`,
      type: 'FORECAST',
      threshold: ALERT_PERCENT,
      thresholdType: 'PERCENTAGE',
      ...(emails.length > 0 && { recipients: emails.join(',') }),
      message: `${name} is forecast to cost more than ${ALERT_PERCENT} % of its budget this month.`,
      ...inHomeRegion,
    });
  }
}
