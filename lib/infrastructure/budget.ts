import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import { alarmAddress, type Settings } from './settings.ts';

/** Shares of the budget, in percent, at which a mail is sent: when the money is spent, and when the forecast says that it will be. */
const thresholds = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

export function budget(scope: Construct, settings: Settings): void {
  const { monthlyBudget } = settings;
  if (monthlyBudget === 0) return;
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudget, unit: 'USD' },
    },
    notificationsWithSubscribers: thresholds.map((notification) => ({
      notification: { ...notification, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: alarmAddress(settings) }],
    })),
  });
}
